#!/usr/bin/env node
/** The command line: `npx tillseal`. It goes through the launcher, which sets up what is missing and brings the pinned Node. */
process.argv.splice(2, 0, 'cli');
await import('./launch.mjs');
