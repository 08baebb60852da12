import { expect, test } from 'vitest';
import { DeviceRegistration } from './device.ts';
import { DEVICE_COLUMN_NAMES, isRequired, readDeviceList } from './device-list.ts';
import { type RowResult, registerRows, resultLine, settleKnown } from './register-rows.ts';

const TAXPAYER = '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47';
const list = (...lines: string[]) => readDeviceList(lines.join('\n'), TAXPAYER);
const device = (id: number, more: object = {}) => ({
  TaxpayerId: TAXPAYER,
  AuthorityDeviceId: id,
  SerialNumber: `SN-${id}`,
  ActivationKey: '00112233',
  ...more,
});

test('a list has exactly the columns that a registration has fields, and asks for the same ones', () => {
  // To register again is said of one device, and not of a list.
  const fields = Object.keys(DeviceRegistration.properties).filter((name) => name !== 'Again');
  expect(DEVICE_COLUMN_NAMES).toEqual(fields);
  expect(DEVICE_COLUMN_NAMES.filter(isRequired)).toEqual(DeviceRegistration.required);
});

test('a row becomes the body of a registration; what is empty is left out', () => {
  const { rows, problems } = list(
    'authoritydeviceid,SerialNumber,ActivationKey,Zone,AdvanceLimitSeconds',
    '1001,SN-1001,00112233,,60',
    '',
    '1002,SN-1002,00112233,Africa/Lusaka,',
  );
  expect(problems).toEqual([]);
  expect(rows).toEqual([
    { line: 2, device: device(1001, { AdvanceLimitSeconds: 60 }) },
    { line: 4, device: device(1002, { Zone: 'Africa/Lusaka' }) },
  ]);
});

test('every wrong cell is named with its line, its column and what is expected, and no key is repeated', () => {
  const { problems } = list(
    'AuthorityDeviceId,SerialNumber,ActivationKey,Zone,MaintenanceStart,DatePolicy',
    '1001,SN-1,SECRET',
    '0,,00112233,Mars/Olympus,2:00,lax',
    '1001,SN-2,00112233,,,,surplus',
  );
  expect(problems.map(({ line, column }) => `${line} ${column}`)).toEqual([
    '2 ActivationKey',
    '3 AuthorityDeviceId',
    '3 SerialNumber',
    '3 Zone',
    '3 MaintenanceStart',
    '3 DatePolicy',
    '4 ',
    '4 AuthorityDeviceId',
  ]);
  expect(problems.map(({ message }) => message)).toContain('device 1001 is already on line 2');
  expect(JSON.stringify(problems)).not.toContain('SECRET');
});

test('a file with a wrong first line is not read further', () => {
  expect(readDeviceList('').problems).toEqual([{ line: 1, column: '', message: 'the file is empty' }]);
  const { rows, problems } = readDeviceList('AuthorityDeviceId,Serial,AuthorityDeviceId\n1,2,3');
  expect(rows).toEqual([]);
  expect(problems.map(({ column, message }) => `${column}: ${message.split(';')[0]}`)).toEqual([
    'Serial: no such column',
    'AuthorityDeviceId: the column is there twice',
    'TaxpayerId: the column is missing from the first line',
    'SerialNumber: the column is missing from the first line',
    'ActivationKey: the column is missing from the first line',
  ]);
});

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ line: index + 2, device: device(index + 1) }));

test('what is registered already is skipped, and another device with the number is not touched', () => {
  const known = new Map([
    [1, { ...device(1), Zone: 'Africa/Harare' }],
    [2, { ...device(2), SerialNumber: 'OTHER' }],
  ]);
  const { settled, open } = settleKnown(rowsOf(3), known);
  expect(settled.map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ['Already there', ''],
    ['Different', 'SerialNumber is OTHER here'],
  ]);
  expect(open.map((row) => row.line)).toEqual([4]);
});

test('work stops after five failures in a row, or when it is asked to; the rest is not tried', async () => {
  const run = async (outcome: (line: number) => RowResult['outcome'], isStopped = () => false) => {
    const results: RowResult[] = [];
    const register = async ({ line }: { line: number }) => ({ outcome: outcome(line), detail: '' });
    await registerRows(rowsOf(30), register, (result) => results.push(result), isStopped);
    return results.toSorted((one, other) => one.line - other.line).map((result) => result.outcome);
  };
  const failing = await run(() => 'Failed');
  expect(failing.filter((outcome) => outcome === 'Failed').length).toBeLessThan(10);
  expect(failing.filter((outcome) => outcome === 'Not tried').length).toBeGreaterThan(20);
  expect(await run((line) => (line % 3 === 0 ? 'Failed' : 'Registered'))).not.toContain('Not tried');
  expect(
    new Set(
      await run(
        () => 'Registered',
        () => true,
      ),
    ),
  ).toEqual(new Set(['Not tried']));
});

test('a line of the results is harmless in a spreadsheet and has no key', () => {
  const result = { line: 2, device: device(7, { SerialNumber: '=1+1' }), outcome: 'Refused', detail: 'a, b' } as const;
  expect(resultLine(result)).toBe(`2,7,'=1+1,Refused,"a, b"\r\n`);
});
