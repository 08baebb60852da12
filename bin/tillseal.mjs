#!/usr/bin/env node
/** The command line: `npx tillseal`. It goes through the launcher, which sets up what is missing and brings the pinned Node. */
// The service and the simulator are programs of their own, not commands to the service.
if (!['start', 'simulator'].includes(process.argv[2])) process.argv.splice(2, 0, 'cli');
await import('./launch.mjs');
