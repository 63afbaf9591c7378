import type { ReactNode } from 'react';

function icon(children: ReactNode) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const icons = {
  home: icon(<path d="M4 10.5 12 4l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5.5h-5V20H5a1 1 0 0 1-1-1z" />),
  signals: icon(<path d="M3 12h4l3-7.5 4.5 15L17 12h4" />),
  partners: icon(
    <>
      <circle cx="9" cy="12" r="5.5" />
      <circle cx="15" cy="12" r="5.5" />
    </>,
  ),
  attribution: icon(
    <>
      <circle cx="12" cy="9.5" r="5.5" />
      <path d="m8.5 14-1 6.5 4.5-2.5 4.5 2.5-1-6.5" />
    </>,
  ),
  more: icon(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth="3" />),
  filters: icon(<path d="M4 7h16M7 12h10M10 17h4" />),
  comfortable: icon(<path d="M5 6.5h14v4H5zM5 14h14v4H5z" />),
  compact: icon(<path d="M5 6h14M5 10h14M5 14h14M5 18h14" />),
  appearance: icon(
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" stroke="none" />
    </>,
  ),
};
