import { Checker, type Finding, type Proof } from './checker.ts';
import { CHAIN_START, checkChain } from './line-chain.ts';

export interface FileFinding extends Finding {
  /** From 1. */
  readonly line: number;
  /** Of a line that was changed: what in it no longer holds, if that is known. */
  readonly consequence: string | undefined;
}

export type FileVerdict =
  /** Of several exports in a row, the proof of each; `proof` is the first. */
  | { readonly holds: true; readonly proof: Proof; readonly others: readonly Proof[]; readonly lines: number }
  | { readonly holds: false; readonly finding: FileFinding };

/** The longest receipt has some hundred kilobytes; a file without line breaks must not fill the memory. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** Checks an export from its bytes alone. `onProgress` gets the number of lines from time to time. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (lines: number) => void = () => {},
): Promise<FileVerdict> {
  const proofs: Proof[] = [];
  let checker = new Checker();
  let hash = CHAIN_START;
  let count = 0;
  for await (const line of linesOf(chunks)) {
    count += 1;
    if (count % 500 === 0) onProgress(count);
    if (line === undefined) return fails(brokenLine(checker, 'the line has no end'), count);
    const ended = checker.isEnded ? checker.proof() : undefined;
    if (ended !== undefined) {
      if (checkChain(CHAIN_START, line) === undefined)
        return fails(brokenLine(checker, 'something follows after the last line', 'beyond-end'), count);
      proofs.push(ended);
      checker = new Checker();
      hash = CHAIN_START;
    }
    const next = checkChain(hash, line);
    if (next === undefined) {
      const consequence = checker.take(line.toString());
      const changed = brokenLine(checker, 'the line is not the one that was written here', 'changed-line');
      return fails(changed, count, consequence?.detail);
    }
    const broken = checker.take(line.toString());
    if (broken !== undefined) return fails(broken, count);
    hash = next;
  }
  const proof = checker.proof();
  if (proof === undefined || !checker.isEnded) {
    return fails(brokenLine(checker, 'the file ends before its last line', 'end-missing'), count + 1);
  }
  const [first, ...others] = [...proofs, proof];
  return { holds: true, proof: first, others, lines: count };
}

function brokenLine(checker: Checker, detail: string, kind: Finding['kind'] = 'changed-line'): Finding {
  return { ...checker.place, kind, detail };
}

function fails(finding: Finding, line: number, consequence?: string): FileVerdict {
  return { holds: false, finding: { ...finding, line, consequence } };
}

/** Every line ends with a line break: undefined stands for what does not. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, start)) {
      yield rest.subarray(start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > MAX_LINE_BYTES) break;
  }
  if (rest.length > 0) yield undefined;
}
