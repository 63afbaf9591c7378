import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

/**
 * Which of `count` points of a chart shows its values: the one under the mouse or finger, or the one that the arrow keys
 * chose. The keys move an invisible slider over the chart, whose value screen readers announce. `area` is for the element
 * with the points, `slider` for the input inside it.
 */
export function usePoints(count: number) {
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(count - 1);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const value = Math.max(0, Math.min(chosen, count - 1));

  function point(event: PointerEvent<HTMLElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(count - 1, Math.floor((count * (event.clientX - left)) / width))));
    setPointed(true);
  }

  return {
    shown: (pointed || focused) && count > 0 ? value : undefined,
    area: {
      onPointerMove: point,
      onPointerDown: point,
      onPointerLeave: () => setPointed(false),
      // After a tap, the values stay until you tap elsewhere.
      onClick: () => input.current?.focus({ preventScroll: true }),
    },
    slider: {
      ref: input,
      min: 0,
      max: count - 1,
      value,
      onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        setChosen(Number(currentTarget.value)),
      onFocus: () => setFocused(true),
      onBlur: () => setFocused(false),
      onKeyDown: ({ key }: KeyboardEvent) => {
        // Escape hides the values, and any other key shows them again.
        if (key === 'Escape') setPointed(false);
        setFocused(key !== 'Escape');
      },
    },
  };
}
