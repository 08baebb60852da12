/**
 * `node bin/launch.mjs simulator` or `npx tillseal simulator`: the authority as a separate program.
 * --port, --control-port, --host, --data-dir, --qr-url, --close-delay-ms
 */
import { createLogger } from '../platform/logging/logger.ts';
import { numberOption, scriptOptions } from '../platform/script-options.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import { startSimulator } from './index.ts';

const USAGE = `Usage: tillseal simulator [options]

  --host ADDRESS         where the gateway listens (127.0.0.1)
  --port N               of the gateway, HTTPS (4443; 0 = any free one)
  --control-port N       of the control API and the verification pages, HTTP on 127.0.0.1 (4480; 0 = any free one)
  --data-dir FOLDER      what the authority remembers (./data/simulator)
  --qr-url URL           address in QR codes, if not the control port's (which only this machine reaches)
  --close-delay-ms N     how long a fiscal day takes to close (200)
`;

async function main(): Promise<void> {
  const values = scriptOptions(USAGE, {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '4443' },
    'control-port': { type: 'string', default: '4480' },
    'data-dir': { type: 'string', default: './data/simulator' },
    'qr-url': { type: 'string' },
    'close-delay-ms': { type: 'string' },
  });
  const closeDelay = values['close-delay-ms'];
  const simulator = await startSimulator({
    dataDir: values['data-dir'],
    host: values.host,
    port: numberOption(USAGE, 'port', values.port),
    controlPort: numberOption(USAGE, 'control-port', values['control-port']),
    log: createLogger('warn'),
    print: (line) => process.stdout.write(`${line}\n`),
    ...(values['qr-url'] === undefined ? {} : { qrUrl: values['qr-url'] }),
    ...(closeDelay === undefined ? {} : { closeDelayMs: numberOption(USAGE, 'close-delay-ms', closeDelay) }),
  });
  const { url, controlUrl, qrUrl, caFile } = simulator;
  // The first line is for programs, the rest for people.
  process.stdout.write(`${JSON.stringify({ url, controlUrl, qrUrl, caFile })}

The authority simulator is ready.
  gateway            ${url}
  trust              ${caFile}
  control API        ${controlUrl}
  verification page  ${qrUrl}
  vendor's webhook   ${controlUrl}/webhooks
  devices to register: 1001 (key DEMO1001), 1002 (DEMO1002), 1003 of TIN 2000000002, without VAT (DEMO1003)
`);
  await new Promise((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  });
  await simulator.stop();
}

try {
  await main();
} catch (error) {
  // A wrong flag or a taken port is an error with a code, and its message says all there is to say.
  const isExpected = error instanceof StartRefusal || (error instanceof Error && 'code' in error);
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const advice = isTaken ? '. Stop what uses it, or choose another by --port or --control-port.' : '';
  const text = error instanceof Error && !isExpected ? error.stack : undefined;
  process.stderr.write(`simulator: ${text ?? (error instanceof Error ? error.message : String(error))}${advice}\n`);
  process.exitCode = 1;
}
