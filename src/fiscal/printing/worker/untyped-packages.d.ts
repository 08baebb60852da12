declare module 'bidi-js' {
  export interface EmbeddingLevels {
    /** By UTF-16 unit: odd is right to left. */
    readonly levels: Uint8Array;
  }
  export interface Bidi {
    getEmbeddingLevels(text: string, direction?: 'ltr' | 'rtl'): EmbeddingLevels;
    getMirroredCharacter(character: string): string | null;
  }
  export default function makeBidi(): Bidi;
}

declare module 'subset-font' {
  export interface SubsetOptions {
    readonly targetFormat: 'truetype' | 'woff2';
    readonly variationAxes?: Readonly<Record<string, number | { readonly min: number; readonly max: number }>>;
  }
  export default function subsetFont(font: Buffer, text: string, options: SubsetOptions): Promise<Buffer>;
}
