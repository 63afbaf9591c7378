import type { Conventions } from '../../../import/convert.ts';
import type { Format } from '../../../import/records.ts';
import type { ClientConnection } from '../../connection.ts';
import type { JsonOption } from '../../terminal/output.ts';

export type ImportOptions = ClientConnection &
  JsonOption &
  Pick<Conventions, 'dates' | 'decimal' | 'timeZone'> & {
    format?: Format;
    encoding?: string;
    map?: string[];
    mapFile?: string;
    set?: string[];
    default?: string[];
    mapValue?: string[];
    valueMap?: string;
    openStage?: string[];
    wonStage?: string[];
    lostStage?: string[];
    refuseUnknown?: boolean;
    backfill?: boolean;
    dryRun?: boolean;
    restart?: boolean;
    yes?: boolean;
    batchRows: number;
  };
