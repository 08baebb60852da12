import { existsSync } from 'node:fs';
import { AnswerError, JournalError, Outbox, type OutboxStatus } from '../../../clients/typescript/src/index.ts';
import { CONNECTION, type Command, type Invocation, printsJson, refuseBoth, wholeNumber } from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { CommandFailure, EXIT, usage } from '../shared/failure.ts';
import { printFacts, tablePrinter } from '../shared/table.ts';
import { harmless } from '../shared/terminal.ts';

export const outboxCommand: Command = {
  name: 'outbox',
  summary: "Show a till's outbox, what is stuck in it and why, and send what waits.",
  arguments: ['FILE'],
  options: {
    drain: { help: 'send what waits, in order, until nothing is left' },
    within: { value: 'SECONDS', help: 'with --drain: how long to try (60)' },
    retry: { value: 'REFERENCE', help: 'let a parked sale be sent again, at its old place' },
    discard: { value: 'REFERENCE', help: 'give a parked sale up: it is never sealed' },
    resume: { help: 'let a halted outbox send again, after its token was mended' },
    ...CONNECTION,
  },
  details: `FILE is the journal that a till's client writes (docs/outbox.md). The till may run meanwhile: both share its locks.
Only --drain talks to a service, with the token of the taxpayer.`,
  examples: [
    'tillseal outbox till.journal',
    'tillseal outbox till.journal --drain',
    'tillseal outbox till.journal --retry INV-42 --drain',
    'tillseal outbox till.journal --resume --drain --token tsk_…',
  ],
  run: async (invocation) => {
    refuseBoth(invocation, 'retry', 'discard');
    try {
      await workOn(invocation);
    } catch (error) {
      if (error instanceof JournalError) throw new CommandFailure(EXIT.refused, error.message);
      throw error;
    }
  },
};

async function workOn(invocation: Invocation): Promise<void> {
  const [file = ''] = invocation.words;
  if (!existsSync(file)) throw usage(`${file} cannot be read: there is no such file.`);
  const [retried, discarded] = [invocation.text('retry'), invocation.text('discard')];
  let failure = '';
  const outbox = await openOutbox(invocation, file, (reason) => {
    failure = reason;
  });
  if (retried !== undefined) await outbox.retry(retried);
  if (discarded !== undefined) await outbox.discard(discarded);
  if (invocation.isSet('resume')) await outbox.resume();
  const withinMs = (wholeNumber(invocation, 'within', 1) ?? 60) * 1000;
  const status = await (invocation.isSet('drain') ? outbox.drain({ withinMs }) : outbox.status());
  invocation.terminal.endProgress();
  show(invocation, status);
  if (!invocation.isSet('drain')) return;
  if (status.halted !== undefined) invocation.end(EXIT.authentication);
  else if (status.open > 0) {
    invocation.terminal.note(
      `Not everything could be sent. The last attempt: ${harmless(failure || 'none, because another process is sending')}`,
    );
    invocation.end(EXIT.unavailable);
  }
}

async function openOutbox(invocation: Invocation, file: string, onFailure: (reason: string) => void): Promise<Outbox> {
  if (!invocation.isSet('drain')) return Outbox.open({ file, url: '', token: '' });
  const { url, token } = await chooseConnection(invocation);
  if (token === undefined)
    throw new CommandFailure(
      EXIT.authentication,
      `Draining needs the token of the taxpayer, and there is none for ${url}.`,
      ['Give one with --token or TILLSEAL_TOKEN.'],
    );
  return Outbox.open({
    file,
    url,
    token,
    onAttempt: ({ sale, verdict }) => {
      const outcome = verdict.kind === 'Again' ? verdict.reason : verdict.kind;
      if (verdict.kind === 'Again') onFailure(outcome);
      invocation.terminal.progress(harmless(`${sale.reference}: ${outcome}`));
    },
  });
}

function show(invocation: Invocation, status: OutboxStatus): void {
  const { open, oldest, parked, halted } = status;
  if (
    printsJson(
      invocation,
      JSON.stringify({
        Open: open,
        Oldest: oldest ?? null,
        Parked: parked.map(named),
        Halted: halted ? named(halted) : null,
      }),
    )
  )
    return;
  const { terminal } = invocation;
  printFacts(terminal, [
    ['Waiting', open === 0 ? 'nothing' : `${open}, the oldest since ${oldest}`],
    ['Parked', parked.length === 0 ? 'nothing' : String(parked.length)],
    ['Halted', halted && `${reasonOf(halted)}; mend the token, then --resume`],
  ]);
  if (parked.length === 0) return;
  tablePrinter<OutboxStatus['parked'][number]>(terminal, [
    { title: 'PARKED', value: ({ reference }) => harmless(reference) },
    { title: 'WHY', value: reasonOf },
  ])(parked);
  terminal.note('Correct what is wrong and --retry a sale, or --discard it and sell it again.');
}

function reasonOf({ status, answer }: { readonly status: number; readonly answer: string }): string {
  return harmless(new AnswerError(status, answer).message.replaceAll('\n', '; '));
}

/** In the letters of every other JSON of Tillseal. */
function named(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name.charAt(0).toUpperCase() + name.slice(1), part]),
  );
}
