#!/usr/bin/env node
/** The command line: `npx tillseal`. It goes through the launcher, which sets up what is missing and brings the pinned Node. */
// The simulator is a program of its own, not a command to the service.
if (process.argv[2] !== 'simulator') process.argv.splice(2, 0, 'cli');
await import('./launch.mjs');
