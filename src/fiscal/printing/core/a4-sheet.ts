import { wrapText } from './columns.ts';
import type { FontName, MeasureText, Page, PageItem } from './page.ts';

const PAGE = { width: 595.28, height: 841.89 };
export const LEFT = 42;
export const RIGHT = PAGE.width - 42;
const TOP = 40;
const BOTTOM = PAGE.height - 50;
const TEXT_SIZE = 8.5;

export interface TextStyle {
  readonly x?: number;
  readonly y: number;
  readonly size?: number;
  readonly font?: FontName;
  readonly align?: 'left' | 'middle' | 'right';
  readonly isFaint?: boolean;
}

/** The pages while they are being filled, from top to bottom. `y` is where the next thing goes. */
export class A4Sheet {
  readonly measure: MeasureText;
  y = TOP;
  readonly #pages: PageItem[][] = [[]];

  constructor(measure: MeasureText) {
    this.measure = measure;
  }

  draw(item: PageItem): void {
    this.#pages.at(-1)?.push(item);
  }

  text(text: string, style: TextStyle): void {
    const { x = LEFT, y: baseline, size = TEXT_SIZE, font = 'regular', align = 'left', isFaint = false } = style;
    if (text !== '') this.draw({ kind: 'text', x, baseline, text, font, size, align, isFaint });
  }

  line(y: number): void {
    this.draw({ kind: 'line', x: LEFT, y, toX: RIGHT });
  }

  shade(x: number, y: number, width: number, height: number): void {
    this.draw({ kind: 'shade', x, y, width, height });
  }

  wrap(text: string, width: number, size = TEXT_SIZE, font: FontName = 'regular'): string[] {
    return wrapText(text, width, (part) => this.measure(part, font, size));
  }

  /** Begins a page when so much does not fit on this one, and tells whether it did. */
  need(height: number): boolean {
    if (this.y + height <= BOTTOM) return false;
    this.#pages.push([]);
    this.y = TOP;
    return true;
  }

  /** Every page with its number and, from the second on, whose it is. */
  finish(name: string): Page[] {
    const count = this.#pages.length;
    return this.#pages.map((items, index) => {
      const foot = { kind: 'text', baseline: PAGE.height - 28, font: 'regular', size: 7.5, isFaint: true } as const;
      const mark: PageItem = { ...foot, x: RIGHT, text: `Page ${index + 1} of ${count}`, align: 'right' };
      const [short = name] = this.wrap(name, RIGHT - LEFT - 80, 7.5);
      const title: PageItem = { ...foot, x: LEFT, text: short, align: 'left' };
      return { ...PAGE, items: [...items, title, mark] };
    });
  }
}
