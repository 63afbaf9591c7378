type Props = {
  values: number[];
  /** What the bars show, in words. */
  label: string;
  format(value: number): string;
};

/** Months as small bars, above the first and the last value. */
export function Sparkline({ values, label, format }: Props) {
  const top = Math.max(...values, 1);
  const slot = 100 / values.length;
  return (
    <span className="spark">
      <svg className="sparkline" role="img" aria-label={label}>
        <title>{label}</title>
        {values.map((value, index) => {
          const height = value > 0 ? Math.max(8, (100 * value) / top) : 3;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a month has its place
              key={index}
              x={`${(index + 0.15) * slot}%`}
              width={`${0.7 * slot}%`}
              y={`${100 - height}%`}
              height={`${height}%`}
              data-empty={value <= 0}
            />
          );
        })}
      </svg>
      <span className="spark-ends soft" aria-hidden="true">
        <span>{format(values[0] ?? 0)}</span>
        <span>{format(values.at(-1) ?? 0)}</span>
      </span>
    </span>
  );
}
