import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Anything that looks like a secret of ours, also when no answer has shown it. */
const SHAPES = [
  /ts[kv]_[A-Za-z0-9_-]{20,}/,
  /whsec_[A-Za-z0-9+/=_-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\$argon2id\$/,
  /\b[a-z2-9]{5}(?:-[a-z2-9]{5}){3}\b/,
  /(?:Bearer|Basic) [A-Za-z0-9+/=_-]{8,}/,
];
/** Long words are looked up in a set; only the few secrets that contain blanks are searched for. */
const WORD = /[A-Za-z0-9+/=_-]{16,}/g;

/** Every line of a log that contains a secret, with the secret's beginning. What the demo prints for people is not a log line. */
export async function findSecrets(
  file: string,
  secrets: ReadonlySet<string>,
  isLogLine: (line: string) => boolean = () => true,
): Promise<{ found: string[]; lines: number }> {
  const words = new Set<string>();
  const phrases: string[] = [];
  for (const secret of secrets) {
    if (secret.length < 8) continue;
    if (/^[A-Za-z0-9+/=_-]{16,}$/.test(secret)) words.add(secret);
    else phrases.push(secret);
  }
  const found: string[] = [];
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!isLogLine(line)) continue;
    lines += 1;
    const secret =
      line.match(WORD)?.find((word) => words.has(word)) ??
      phrases.find((phrase) => line.includes(phrase)) ??
      SHAPES.map((shape) => shape.exec(line)?.[0]).find((match) => match !== undefined);
    if (secret !== undefined) found.push(`${secret.slice(0, 12)}… in: ${line.slice(0, 400)}`);
  }
  return { found, lines };
}
