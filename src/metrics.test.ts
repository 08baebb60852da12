import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { createCallbackMetrics } from './billpay/callback/callback-metrics.ts';
import { watchInvoices } from './billpay/invoices/invoice-metrics.ts';
import { createPaymentMetrics } from './billpay/payments/payment-metrics.ts';
import { ALERT_KINDS, type AlertKind } from './contract/shared/kinds.ts';
import { watchEndpoints } from './endpoints/service.ts';
import { createFiscalMetrics, type FiscalWatch, observeCalls } from './fiscal/fiscal-metrics.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';

const OPERATIONS = join(import.meta.dirname, '../docs/operations');
const read = (name: string) => readFileSync(join(OPERATIONS, name), 'utf8');

const WELL: FiscalWatch = {
  queueLength: () => 4,
  breakerState: () => 'closed',
  activeDevices: () => 1,
  backlog: async () => ({ receipts: 7, oldestSeconds: 3, stoppedLanes: 1 }),
  openAlerts: async () => ({
    unacknowledged: 2,
    byKind: { ...Object.fromEntries(ALERT_KINDS.map((kind) => [kind, 0])), DeviceStopped: 3 } as Record<
      AlertKind,
      number
    >,
  }),
};

/** Everything that the process measures, each at least once. */
function watching(service = WELL): Metrics {
  const metrics = createMetrics();
  metrics.watchPool(new Pool());
  metrics.observeRequest('GET', '/api/receipt', 200, 0.01);
  const fiscal = createFiscalMetrics(metrics.registry);
  fiscal.watch(service);
  fiscal.observeBatch(3, 0.01);
  fiscal.countBatch('ahead');
  observeCalls(metrics.registry)('SubmitReceipt', 'ok', 0.1);
  createCallbackMetrics(metrics.registry).watchPending(async () => 5);
  watchEndpoints(metrics.registry, async () => ({ active: 3, paused: 1, waiting: 12 }));
  watchInvoices(metrics.registry, async () => ({ waiting: 3, oldestSeconds: 8, rejected: 1 }));
  const payments = createPaymentMetrics(metrics.registry);
  payments.observeState('Paid');
  payments.watch({ queueLength: () => 6, backlog: async () => ({ payments: 2, oldestSeconds: 9 }) });
  return metrics;
}

const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''));
const exposedNames = async () => namesIn(await watching().registry.metrics(), /^# TYPE (\S+)/gm);

test('every metric of the service is in the documentation, and it describes no other', async () => {
  const own = [...(await exposedNames())].filter((name) => name.startsWith('tillseal_'));
  expect(own.length).toBeGreaterThan(12);
  const described = namesIn(read('metrics.md'), /^\| `(tillseal_\w+)`/gm);
  expect([...described].toSorted()).toEqual(own.toSorted());
});

test('what the documentation says of the process itself is exposed too', async () => {
  const exposed = await exposedNames();
  const described = namesIn(read('metrics.md'), /`((?:nodejs|process)_\w+)`/g);
  expect(described.size).toBeGreaterThan(3);
  for (const name of described) expect(exposed, name).toContain(name);
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}
interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}
const dashboard = () => JSON.parse(read('grafana-dashboard.json')) as Dashboard;

test('every metric that a panel asks for exists', async () => {
  const exposed = await exposedNames();
  for (const { title, targets = [] } of dashboard().panels) {
    for (const { expr } of targets) {
      const asked = namesIn(expr, /\b((?:tillseal|nodejs|process)_\w+)/g);
      expect(asked.size, `${title}: ${expr}`).toBeGreaterThan(0);
      for (const name of asked) expect(exposed, title).toContain(name.replace(/_(bucket|sum|count)$/, ''));
    }
  }
});

test('the dashboard shows every metric of the service, on a data source that can be chosen', async () => {
  const { schemaVersion, templating, panels } = dashboard();
  expect(schemaVersion).toBeGreaterThanOrEqual(39);
  expect(templating.list).toContainEqual(expect.objectContaining({ name: 'datasource', type: 'datasource' }));
  const charts = panels.filter((panel) => panel.type !== 'row');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own way to name a variable.
  for (const panel of charts) expect(panel.datasource?.uid, panel.title).toBe('${datasource}');
  const text = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
  for (const name of await exposedNames()) if (name.startsWith('tillseal_')) expect(text).toContain(name);
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const rules = () =>
  [...read('alert-rules.yml').matchAll(/^ +- alert: (\w+)\n +expr: (?:>-\n)?([\s\S]*?)\n +(?=for:|labels:)/gm)].map(
    ([, alert = '', expr = '']): Rule => ({ alert, expr }),
  );

test('every metric that an alert rule asks for exists, here or in the exporter that it names', async () => {
  const exposed = await exposedNames();
  expect(rules().length).toBe([...read('alert-rules.yml').matchAll(/- alert:/g)].length);
  for (const { alert, expr } of rules()) {
    const asked = namesIn(expr, /\b((?:tillseal|nodejs|process)_\w+)/g);
    expect(asked.size > 0 || /\b(up|node_filesystem_\w+)\b/.test(expr), alert).toBe(true);
    for (const name of asked) expect(exposed, alert).toContain(name.replace(/_(bucket|sum|count)$/, ''));
    for (const kinds of namesIn(expr, /kind=~?"([\w|]+)"/g))
      expect(ALERT_KINDS).toEqual(expect.arrayContaining(kinds.split('|')));
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test.skipIf(!hasPromtool)('Prometheus takes the alert rules, and they fire when they should and not otherwise', () => {
  const promtool = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };
  expect(promtool('check', 'rules', join(OPERATIONS, 'alert-rules.yml'))).toMatchObject({ status: 0 });
  expect(promtool('test', 'rules', join(import.meta.dirname, '../test/support/alert-rules.test.yml'))).toMatchObject({
    status: 0,
  });
});

test('the panels of the dashboard have numbers of their own and do not lie on each other', () => {
  const { panels } = dashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_unused, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

test.each([
  ['is away', () => Promise.reject(new Error('connection refused'))],
  ['does not answer', () => new Promise<never>(() => {})],
])('while the database %s the other figures are still there', async (_name, backlog) => {
  const text = await watching({ ...WELL, backlog }).registry.metrics();
  expect(text).toMatch(/^tillseal_submission_backlog nan$/im);
  expect(text).toMatch(/^tillseal_seal_queue_length 4$/m);
});

test('the first visit already shows the figures of the database', async () => {
  const text = await watching().registry.metrics();
  expect(text).toMatch(/^tillseal_submission_backlog 7$/m);
  expect(text).toMatch(/^tillseal_submission_oldest_seconds 3$/m);
  expect(text).toMatch(/^tillseal_lanes_stopped 1$/m);
  expect(text).toMatch(/^tillseal_alerts_open 2$/m);
  expect(text).toMatch(/^tillseal_alerts_unsettled{kind="DeviceStopped"} 3$/m);
  expect(text).toMatch(/^tillseal_alerts_unsettled{kind="CertificateExpires"} 0$/m);
});

test('many who ask at once ask the database once', async () => {
  let asked = 0;
  const countAsked = async () => {
    asked += 1;
    return WELL.openAlerts();
  };
  const { registry } = watching({ ...WELL, openAlerts: countAsked });
  await Promise.all(Array.from({ length: 20 }, () => registry.metrics()));
  expect(asked).toBeLessThan(5);
});

test('every kind of alert is in the documentation, and it describes no other', () => {
  expect([...namesIn(read('alerts.md'), /^## `(\w+)`/gm)].toSorted()).toEqual([...ALERT_KINDS].toSorted());
});
