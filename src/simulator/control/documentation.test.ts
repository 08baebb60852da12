import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { control } from '../../../test/support/simulator/control.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';
import { FAULT_KINDS } from '../state/faults.ts';
import { CONTROL_ROUTES } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/simulator.md'), 'utf8');

test('docs/simulator.md names every request of the control API and every kind of fault', () => {
  const words = [...Object.keys(CONTROL_ROUTES), ...FAULT_KINDS];
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});

test('the device of docs/simulator.md can be made as it is written there', async () => {
  const example = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? '{}') as {
    deviceId: number;
    serialNo: string;
  };
  const running = await TestSimulator.start();
  const made = await control(running.simulator, 'POST', '/devices', example);
  await running.end();
  expect(made).toMatchObject({ deviceId: example.deviceId, serialNo: example.serialNo, tin: '2000000077' });
  expect(made.activationKey).toMatch(/^[A-Z2-9]{8}$/);
});
