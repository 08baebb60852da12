import type { FastifyRequest } from 'fastify';
import type { OnboardedRow } from '../../contract/console/practice.ts';
import { ONBOARDING_COLUMNS } from '../../contract/shared/values.ts';
import { addTaxpayer, insertMandate } from '../../fiscal/index.ts';
import { readCsv } from '../../kernel/csv.ts';
import { newId } from '../../kernel/ids.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import { canonicalEmail } from '../people/core/password-rules.ts';
import { emailErrors } from '../people/core/terms.ts';
import { inviteByMail } from '../people/invite.ts';
import { findExpected } from '../people/mailed-link-store.ts';
import type { SessionContext } from '../people/session-routes.ts';
import { findClient, lockPractice } from './practice-store.ts';

const MOST_ROWS = 100;
const NO_PRACTICE = { code: 'NotFound', detail: 'There is no practice with this id.' } as const;

type Cells = Readonly<Record<(typeof ONBOARDING_COLUMNS)[number], string>>;

/** Row after row: what is wrong with one holds up no other, and what is there already is left alone. */
export async function onboardTaxpayers(
  context: SessionContext,
  request: FastifyRequest,
  practiceId: string,
  list: string,
): Promise<OnboardedRow[] | Refused> {
  const [header, ...rows] = readCsv(list);
  const names = header?.cells.map((cell) =>
    ONBOARDING_COLUMNS.find((name) => name.toLowerCase() === cell.toLowerCase()),
  );
  if (names === undefined || ONBOARDING_COLUMNS.some((name) => !names.includes(name)) || rows.length > MOST_ROWS) {
    const Message = `must begin with a line that names the columns ${ONBOARDING_COLUMNS.join(', ')}, and have at most ${MOST_ROWS} rows after it`;
    const errors = [{ Field: 'List', Code: 'Malformed', Message }];
    return refused({ code: 'InvalidRequest', detail: 'The list cannot be read.', errors });
  }
  const done: OnboardedRow[] = [];
  for (const { line, cells } of rows) {
    const row = Object.fromEntries(ONBOARDING_COLUMNS.map((name) => [name, cells[names.indexOf(name)] ?? '']));
    const outcome = await onboard(context, request, practiceId, row as Cells);
    if (outcome instanceof Refused) return outcome;
    done.push({ Line: line, ...outcome });
  }
  return done;
}

async function onboard(
  context: SessionContext,
  request: FastifyRequest,
  practiceId: string,
  { Name, TIN, VatNumber, Email }: Cells,
): Promise<Omit<OnboardedRow, 'Line'> | Refused> {
  const email = canonicalEmail(Email);
  const faults = [
    ...(Name.length >= 1 && Name.length <= 250 ? [] : ['Name must have 1 to 250 characters']),
    ...(/^\d{10}$/.test(TIN) ? [] : ['TIN must be 10 digits']),
    ...(/^(\d{9})?$/.test(VatNumber) ? [] : ['VatNumber must be 9 digits, or empty']),
    ...(email === '' ? [] : emailErrors(email).map(({ Message }) => Message)),
  ];
  const row = { TIN, TaxpayerId: null, IsInvited: false };
  if (faults.length > 0) return { ...row, Outcome: 'Refused', Detail: `${faults.join('; ')}.` };
  const added = await context.audited(request, async (tx) => {
    if (!(await lockPractice(tx, practiceId))) return refused(NO_PRACTICE);
    const known = await findClient(tx, practiceId, TIN);
    if (known !== undefined) return { answer: { taxpayerId: known, isNew: false } };
    const taxpayerId = newId();
    const vatNumber = VatNumber === '' ? undefined : VatNumber;
    await addTaxpayer(tx, context.masterKeys, { taxpayerId, name: Name, tin: TIN, vatNumber });
    await insertMandate(tx, practiceId, taxpayerId);
    const after = { Name, TIN, VatNumber: vatNumber ?? null, PracticeId: practiceId };
    const subject = `taxpayer ${taxpayerId}`;
    return { action: 'taxpayer.added', taxpayerId, subject, after, answer: { taxpayerId, isNew: true } };
  });
  if (added instanceof Refused) return added;
  const { taxpayerId: TaxpayerId, isNew } = added;
  const settled = { ...row, TaxpayerId, Outcome: isNew ? ('Added' as const) : ('AlreadyThere' as const) };
  const why = await inviteOwner(context, request, { taxpayerId: TaxpayerId, name: Name, email });
  if (why instanceof Refused) return why;
  return why === undefined
    ? { ...settled, IsInvited: true, Detail: `${email} is invited.` }
    : { ...settled, Detail: why };
}

/** Undefined: a mail is on its way. Otherwise why not. */
async function inviteOwner(
  context: SessionContext,
  request: FastifyRequest,
  { taxpayerId, name, email }: { readonly taxpayerId: string; readonly name: string; readonly email: string },
): Promise<string | undefined | Refused> {
  const { pool, mail, clock } = context;
  if (email === '') return 'Nobody was named to be invited.';
  if (mail === undefined) return 'Nobody is invited: this installation sends no mail.';
  const tenant = { kind: 'taxpayer', id: taxpayerId } as const;
  if (await findExpected(pool, tenant, email, clock())) return `${email} belongs to it, or is invited.`;
  const terms = { role: 'owner', membershipExpiresAt: null } as const;
  const wanted = { ...terms, tenant, tenantName: name, email, name: email };
  const invited = await inviteByMail({ ...context, mail }, request, wanted);
  return invited instanceof Refused ? invited : undefined;
}
