/** A page as a list of things to draw, in points from its upper left corner. PDF and picture are drawn from the same list. */
export type FontName = 'regular' | 'bold' | 'mono' | 'monoBold';

export interface TextItem {
  readonly kind: 'text';
  /** Left end, middle or right end of the text, by its alignment. */
  readonly x: number;
  readonly baseline: number;
  readonly text: string;
  readonly font: FontName;
  readonly size: number;
  readonly align: 'left' | 'middle' | 'right';
  readonly isFaint?: boolean;
  /** What would be wider is drawn narrower. */
  readonly room?: number;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type PageItem =
  | TextItem
  | { readonly kind: 'line'; readonly x: number; readonly y: number; readonly toX: number; readonly isDashed?: boolean }
  | ({ readonly kind: 'shade' } & Area)
  | { readonly kind: 'qr'; readonly x: number; readonly y: number; readonly size: number; readonly content: string }
  | ({ readonly kind: 'logo' } & Area);

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly items: readonly PageItem[];
}

export type MeasureText = (text: string, font: FontName, size: number) => number;

export interface LogoSize {
  readonly width: number;
  readonly height: number;
}

/** As large as it goes into a frame, without being drawn larger than 96 dots an inch make it. */
export function fitLogo(logo: LogoSize, frameWidth: number, frameHeight: number): LogoSize {
  const natural = 72 / 96;
  const scale = Math.min(natural, frameWidth / logo.width, frameHeight / logo.height);
  return { width: logo.width * scale, height: logo.height * scale };
}
