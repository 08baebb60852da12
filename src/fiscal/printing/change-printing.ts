import { createHash } from 'node:crypto';
import type { Printing, PrintingChange } from '../../contract/fiscal/printing.ts';
import { type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { lockTaxpayer } from '../taxpayers/store.ts';
import type { Logo } from './store.ts';
import { findPrintSettings, type PrintSettings, savePrintSettings } from './store.ts';

/** Changes the fields that are given, and no others. The logo was checked before. */
export async function changePrinting(
  tx: Transaction,
  taxpayerId: string,
  change: PrintingChange,
  logo: Logo | undefined,
): Promise<Change<Printing> | Refused> {
  if ((await lockTaxpayer(tx, taxpayerId)) === undefined) return refused(NO_TAXPAYER);
  const stored = await findPrintSettings(tx, taxpayerId);
  const changed: PrintSettings = {
    logo: change.Logo === undefined ? stored.logo : logo,
    footer: change.Footer === undefined ? stored.footer : (change.Footer ?? undefined),
    hasFiscalNoteTitles: change.FiscalNoteTitles ?? stored.hasFiscalNoteTitles,
  };
  await savePrintSettings(tx, taxpayerId, changed);
  return {
    action: 'taxpayer.printing_changed',
    taxpayerId,
    subject: `taxpayer ${taxpayerId}`,
    before: withoutPicture(stored),
    after: withoutPicture(changed),
    answer: presentPrinting(changed),
  };
}

export function presentPrinting({ logo, footer, hasFiscalNoteTitles }: PrintSettings): Printing {
  return {
    Footer: footer ?? null,
    Logo: logo === undefined ? null : Buffer.from(logo.png).toString('base64'),
    LogoWidth: logo?.width ?? null,
    LogoHeight: logo?.height ?? null,
    FiscalNoteTitles: hasFiscalNoteTitles,
  };
}

/** The log says which picture it was, not every byte of it. */
function withoutPicture(settings: PrintSettings): object {
  const { Logo: _logo, ...fields } = presentPrinting(settings);
  const { logo } = settings;
  return { ...fields, LogoSha256: logo === undefined ? null : createHash('sha256').update(logo.png).digest('hex') };
}
