import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');

/** Of the product. The API has its own, which only grows with what is added to it. */
export const VERSION = (JSON.parse(manifest) as { version: string }).version;
