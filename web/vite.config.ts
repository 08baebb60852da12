import { defineConfig } from 'vite';
import { OPERATIONS } from '../src/contract/index.ts';
import { peopleAccess } from '../src/contract/shared/access.ts';

/** Who may use what, as the contract says: the console shows everybody what they may do, and has no list of rights of its own. */
/** Fields of a change that are the installation's alone. */
const kept = OPERATIONS.map((one) => [`${one.method} ${one.path}`, one.installationFields]);
const access = OPERATIONS.map((one) => [`${one.method} ${one.path}`, peopleAccess(one.access)]);

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // Styles that are made while the console runs carry this; the server puts a new one into every page it hands out.
  html: { cspNonce: '__NONCE__' },
  define: {
    __webpack_nonce__: "document.querySelector('meta[property=csp-nonce]')?.nonce",
    ACCESS: JSON.stringify(Object.fromEntries(access)),
    KEPT_FIELDS: JSON.stringify(Object.fromEntries(kept)),
  },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Mantine marks its files for servers that render pages; there is none here.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
