/** An exact decimal number: units / 10^scale. Money is never a float. */
export type Decimal = { units: bigint; scale: number };

export function toDecimal(value: string | number): Decimal {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
  const scale = fraction.length - Number(exponent);
  const units = BigInt(`${sign}${whole}${fraction}`);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

export function toNumber({ units, scale }: Decimal): number {
  return Number(`${units}e${-scale}`);
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** Rounds to `digits` significant digits, half away from zero. Both operands must be positive. */
export function divide(a: Decimal, b: Decimal, digits: number): Decimal {
  const shift = Math.max(0, digits + String(b.units).length - String(a.units).length + 1);
  const scaled = {
    units: (a.units * 10n ** BigInt(shift + 1)) / b.units,
    scale: a.scale - b.scale + shift + 1,
  };
  return rounded(scaled, scaled.scale - (String(scaled.units).length - digits));
}

/** Rounds to `places` decimals, half away from zero. */
export function rounded({ units, scale }: Decimal, places: number): Decimal {
  if (places >= scale) return { units: units * 10n ** BigInt(places - scale), scale: places };
  const unit = 10n ** BigInt(scale - places);
  const half = units < 0n ? -unit / 2n : unit / 2n;
  return { units: (units + half) / unit, scale: places };
}

/** Adds two amounts without floating-point errors. */
export function plus(a: number, b: number): number {
  const [one, other] = [toDecimal(a), toDecimal(b)];
  const scale = Math.max(one.scale, other.scale);
  return toNumber({ units: rounded(one, scale).units + rounded(other, scale).units, scale });
}
