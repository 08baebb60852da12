import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder on a separate disk that is small enough to be filled; or why there is none. */
export interface SmallDisk {
  readonly folder: string;
  /** Why it is only an ordinary folder, which must not be filled; undefined when it is a small disk. */
  readonly whyNot: string | undefined;
  fill(): Promise<{ readonly bytes: number; readonly freeBytes: number }>;
  empty(): Promise<void>;
  remove(): void;
}

const PIECE = Buffer.alloc(1 << 20, 0x5a);

/** Mounts a tmpfs, which needs root; otherwise the folder is an ordinary one and says so. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const whyNot = tryMount(folder, megabytes);
  const unmount = () => {
    if (whyNot === undefined) execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
  };
  // A run that ends early, with Ctrl-C for example, leaves no mount behind.
  if (whyNot === undefined) process.once('exit', unmount);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    whyNot,
    fill: async () => {
      const bytes = await writeUntilFull(ballast);
      const { bavail, bsize } = statfsSync(folder);
      return { bytes, freeBytes: bavail * bsize };
    },
    empty: () => rm(ballast, { force: true }),
    remove: () => {
      process.off('exit', unmount);
      unmount();
    },
  };
}

function tryMount(folder: string, megabytes: number): string | undefined {
  if (process.platform !== 'linux') return 'a tmpfs is mounted on Linux only';
  if (process.getuid?.() !== 0) return 'only root may mount a small disk';
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tillseal-chaos', folder];
    execFileSync('mount', options, { stdio: ['ignore', 'ignore', 'pipe'] });
    return undefined;
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    return `mounting is not permitted here (${words.replaceAll(folder, 'the folder')})`;
  }
}

async function writeUntilFull(file: string): Promise<number> {
  const handle = await open(file, 'w', 0o600);
  let bytes = 0;
  try {
    for (let size = PIECE.length; size >= 4096; size /= 2) {
      for (;;) {
        const written = await handle.write(PIECE, 0, size).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error;
          return { bytesWritten: 0 };
        });
        bytes += written.bytesWritten;
        if (written.bytesWritten < size) break;
      }
    }
  } finally {
    await handle.close();
  }
  return bytes;
}
