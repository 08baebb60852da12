import type { PrintedDocument } from './core/printed-document.ts';
import type { PrintedReport } from './core/report-rows.ts';

/** What the rendering thread is given: plain data, since it crosses a thread. */
export interface Job {
  /** `fonts`: the style that brings an HTML page the letters it needs. */
  readonly format: 'pdf' | 'png' | 'escpos' | 'fonts';
  readonly content:
    | { readonly kind: 'roll' | 'a4'; readonly document: PrintedDocument }
    | { readonly kind: 'report'; readonly report: PrintedReport };
  readonly logo: Logo | undefined;
  readonly facts: { readonly title: string; readonly author: string; readonly date: Date };
}

export interface Logo {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export type JobOutcome =
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array }
  /** As a picture; a PDF has no such bound. */
  | { readonly kind: 'too-large'; readonly pageCount: number };

/** What the thread says of a job; they come in the order they were given. */
export type JobAnswer = { readonly outcome: JobOutcome } | { readonly failure: string };
