import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { DamagedArchive } from './damaged-archive.ts';
import { type Header, itemOfPart, type Manifest, tableItem } from './manifest.ts';
import { copyIn, setSequence } from './store.ts';
import type { Entry } from './tar.ts';

export interface LoadOptions {
  readonly header: Header;
  readonly manifest: Manifest;
  /** What in the archive is no table. */
  readonly takeFilePart: (item: string, bytes: Buffer) => void;
  readonly progress: (words: string) => void;
}

/**
 * Loads the tables in the archive's order, inside the transaction that is open on `client`, and counts what the database says it
 * took. The order was chosen by foreign keys, so every row finds what it refers to.
 */
export async function loadArchive(
  client: PoolClient,
  entries: AsyncIterable<Entry>,
  { header, manifest, takeFilePart, progress }: LoadOptions,
): Promise<void> {
  const tables = new Map(header.Tables.map(({ Name, Columns }) => [tableItem(Name), { name: Name, columns: Columns }]));
  const rows = new Map<string, number>();
  let open: { item: string; stream: CopyStreamQuery } | undefined;
  const finish = async () => {
    if (open === undefined) return;
    const { item, stream } = open;
    open = undefined;
    const finished = once(stream, 'finish');
    stream.end();
    await finished;
    rows.set(item, stream.rowCount);
  };
  for await (const { name, bytes } of entries) {
    const item = itemOfPart(name);
    if (open?.item !== item) await finish();
    const table = tables.get(item);
    if (table === undefined) {
      takeFilePart(item, bytes);
      continue;
    }
    if (open === undefined) {
      open = { item, stream: client.query(copyFrom(copyIn(table))) };
      progress(table.name);
    }
    await write(open.stream, bytes);
  }
  await finish();
  for (const table of manifest.Tables) {
    const found = rows.get(table.Name) ?? 0;
    if (found !== table.Rows) {
      throw new DamagedArchive(`${table.Name} has ${found} rows, and ${table.Rows} were backed up`);
    }
  }
  for (const { Table, Column, Value, IsCalled } of manifest.Sequences) {
    await setSequence(client, { table: Table, column: Column, value: Value, isCalled: IsCalled });
  }
}

/** Resolves when there is room for more; rejects when the database did not like what it got. */
function write(stream: CopyStreamQuery, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(bytes, (error) => {
      stream.off('error', reject);
      if (error) reject(error);
      else resolve();
    });
  });
}
