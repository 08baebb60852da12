/** The few pictures the console needs, drawn with strokes of the text's colour. They are decoration: words stand beside them. */
const PATHS = {
  overview: 'M3 13h4l3-8 4 14 3-6h4',
  device: 'M7 3h10v18H7zM10 7h4M10 11h4M11 17h2',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  try: 'M5 3l14 9-14 9z',
  taxpayer: 'M4 21V8l8-5 8 5v13M9 21v-6h6v6',
  token: 'M14 10a4 4 0 1 0-3.5 4L12 15.5v2h2v2h3v-3z',
  operator: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M8 14v6',
  practice: 'M4 8h16v12H4zM9 8V4h6v4M4 13h16',
  unfold: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  month: 'M4 5h16v16H4zM4 10h16M8 3v4M16 3v4',
  alert: 'M12 4L2.5 20h19zM12 10v4M12 17v.5',
  check: 'M5 12.5l5 5 9-11',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  back: 'M15 5l-7 7 7 7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 9V3h10v6M7 17H4v-8h16v8h-3M7 14h10v7H7z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  payments: 'M3 6h18v12H3zM3 10h18M7 15h3',
  biller: 'M4 20h16M5 20V10M19 20V10M9.5 20V10M14.5 20V10M3 10l9-6 9 6z',
  vendor: 'M4 9l1.5-5h13L20 9M4 9h16M5 9v11h14V9M9 20v-6h6v6',
  endpoint: 'M6 17v-6a6 6 0 0 1 12 0v6l2 2H4zM10 22h4',
  webhook: 'M4 12h13M12 6l6 6-6 6M21 5v14',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Seal({ size = 28 }: { readonly size?: number }) {
  return <img src="/console/icon.svg" width={size} height={size} alt="" />;
}
