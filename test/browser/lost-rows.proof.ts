import { expect, test } from 'vitest';
import { openEmbedded } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';
import { loseRows } from '../support/receipts/lose-rows.ts';
import { describeConsole } from './describe-console.ts';
import { barriersOf, expectNothingBad } from './visit.ts';

await describeConsole('receipts that the database has lost', (shown) => {
  const sign = (reference: string) =>
    post({ url: shown.demo.baseUrl, token: shown.demo.taxpayer.token }, nowInvoice(1001, reference));
  const sell = async (reference: string) => {
    const answer = await sign(reference);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { GlobalCounter: number; FiscalDayCounter: number };
  };

  test('hold up their device, and an admin who was told what follows lets it sell on behind them', async () => {
    const before = await sell('KEPT-1');
    const last = await sell('LOST-1');
    const pool = await openEmbedded(shown.dataDir);
    await expect
      .poll(
        async () =>
          (
            await pool.query(
              "select from submissions where state = 'Submitted' and device_id = 1001 and global_counter = $1",
              [last.GlobalCounter],
            )
          ).rowCount,
        { timeout: 20_000 },
      )
      .toBe(1);
    await loseRows(pool, 1001, before.GlobalCounter);
    await pool.end();
    const refused = await sign('NEXT-1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);

    const { page, faults, close } = await shown.visit();
    await shown.open(page, '/devices/1001', 'On hold: nothing is sealed on this device');
    await page.getByText(`receipt ${last.GlobalCounter} was signed and answered`, { exact: false }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const name = `Go on behind receipt ${last.GlobalCounter}`;
    await page.getByRole('button', { name }).click({ timeout: 90_000 });
    const goOn = page.getByRole('dialog').getByRole('button', { name });
    await page.getByText('CountersMismatch', { exact: false }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await goOn.isDisabled()).toBe(true);
    await page.getByRole('checkbox').check();
    await goOn.click();
    await page.getByText(`The next receipt follows receipt ${last.GlobalCounter}`).waitFor();
    expectNothingBad(faults);
    await close();

    expect(await sell('NEXT-1')).toMatchObject({
      GlobalCounter: last.GlobalCounter + 1,
      FiscalDayCounter: last.FiscalDayCounter + 1,
    });
    const { Alerts } = await shown.admin<{ Alerts: { Kind: string }[] }>('/api/admin/alerts', undefined, 'GET');
    expect(Alerts.filter(({ Kind }) => Kind === 'RowsLost' || Kind === 'AuthorityAhead')).toEqual([]);
  });
});
