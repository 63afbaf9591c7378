/** Twelve months as small bars; `label` says what they show. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const top = Math.max(...values, 1);
  const slot = 100 / values.length;
  return (
    <svg className="sparkline" role="img" aria-label={label}>
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
  );
}
