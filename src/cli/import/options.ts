import type { ClientConnection } from '../connection.ts';
import type { JsonOption } from '../terminal/output.ts';
import type { Conventions } from './convert.ts';
import type { Format } from './records.ts';

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
