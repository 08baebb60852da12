import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { AuthorityBooks } from '../support/authority/books.ts';
import { startBrowser } from '../support/browser.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine, readDemoFile } from '../support/process.ts';
import { callApi, openPage } from './console.ts';
import { type Look, visitConsole } from './visit.ts';

export interface ShownConsole {
  readonly browser: Browser;
  readonly demo: Demo;
  readonly dataDir: string;
  readonly books: AuthorityBooks;
  readonly admin: <Answer>(path: string, body?: object, method?: string) => Promise<Answer>;
  readonly visit: (look?: Look) => ReturnType<typeof visitConsole>;
  readonly open: (page: Page, path: string, shows: string) => Promise<void>;
}

interface Options {
  /** A demo made anew: the addresses in the QR codes of a copy lead to where its authority was before. */
  readonly isNew?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Tests with one service, as `npm start` runs it, and one browser for the whole file. */
export async function describeConsole(
  name: string,
  tests: (shown: ShownConsole) => void,
  { isNew = false, environment = {} }: Options = {},
): Promise<void> {
  const started = await startBrowser();
  const reason = started.kind === 'missing' ? ` (skipped: ${started.reason})` : '';
  describe.skipIf(started.kind === 'missing')(`${name}${reason}`, () => {
    const machine = new Machine();
    let demo: Demo;
    let dataDir = '';
    const browser = () => {
      if (started.kind === 'missing') throw new Error(started.reason);
      return started.browser;
    };
    beforeAll(async () => {
      await promisify(execFile)(process.execPath, [resolve(import.meta.dirname, '../../web/build.mjs')]);
      const folder = await machine.folder();
      dataDir = isNew ? folder : await copyDemo(folder);
      await machine.start({ DATA_DIR: dataDir, SUBMISSION_WAIT_MS: '1500', ...environment }).ready;
      demo = await readDemoFile(dataDir);
    });
    afterAll(async () => {
      await browser().close();
      await machine.end();
    });
    tests({
      get browser() {
        return browser();
      },
      get demo() {
        return demo;
      },
      get dataDir() {
        return dataDir;
      },
      get books() {
        return new AuthorityBooks(demo.simulator.controlUrl);
      },
      admin: (path, body, method = 'POST') =>
        callApi(demo, path, { method, token: demo.operator.token ?? '', ...(body ? { body } : {}) }),
      visit: (look) => visitConsole(browser(), demo, look),
      open: (page, path, shows) => openPage(page, demo.baseUrl, path, shows),
    });
  });
}
