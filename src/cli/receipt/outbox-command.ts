import { existsSync } from 'node:fs';
import {
  Client,
  type Drained,
  type Outbox,
  OutboxError,
  type OutboxStatus,
  type ProblemError,
} from '../../../clients/typescript/src/index.ts';
import { columnsOf } from '../derived/show.ts';
import { CONNECTION, type Command, type Invocation, printsJson, refuseBoth, wholeNumber } from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { CommandFailure, EXIT, usage } from '../shared/failure.ts';
import { printFacts, tablePrinter } from '../shared/table.ts';
import { harmless } from '../shared/terminal.ts';

export const outboxCommand: Command = {
  name: 'outbox',
  summary: "Show a till's outbox, what is stuck in it and why, and send what is queued.",
  arguments: ['FILE'],
  options: {
    drain: { help: 'send what is queued, in order, until nothing is left' },
    within: { value: 'SECONDS', help: 'with --drain: how long to try (60)' },
    retry: { value: 'REFERENCE', help: 'queue a sale that is set aside again, at its old place' },
    'retry-all': { help: 'queue all that are set aside again' },
    discard: { value: 'REFERENCE', help: 'give up a sale that is set aside, or queued and surely not sealed' },
    resume: { help: 'let a halted outbox send again at once, after its token was mended' },
    ...CONNECTION,
  },
  details: `FILE is the outbox that a till's client writes (docs/outbox.md). The till may run meanwhile.
Only --drain talks to a service, with the token of the taxpayer.`,
  examples: [
    'tillseal outbox till.outbox',
    'tillseal outbox till.outbox --drain',
    'tillseal outbox till.outbox --retry INV-42 --drain',
    'tillseal outbox till.outbox --resume --drain --token tsk_…',
  ],
  run: async (invocation) => {
    refuseBoth(invocation, 'retry', 'discard');
    refuseBoth(invocation, 'retry', 'retry-all');
    try {
      await workOn(invocation);
    } catch (error) {
      if (error instanceof OutboxError) throw new CommandFailure(EXIT.refused, error.message);
      throw error;
    }
  },
};

async function workOn(invocation: Invocation): Promise<void> {
  const [file = ''] = invocation.words;
  if (!existsSync(file)) throw usage(`${file} cannot be read: there is no such file.`);
  const withinSeconds = wholeNumber(invocation, 'within', 1) ?? 60;
  const outbox = await openOutbox(invocation, file);
  const [retried, discarded] = [invocation.text('retry'), invocation.text('discard')];
  if (retried !== undefined || invocation.isSet('retry-all')) await outbox.retry(retried);
  if (discarded !== undefined) await outbox.discard(discarded);
  if (invocation.isSet('resume')) await outbox.resume();
  if (!invocation.isSet('drain')) {
    show(invocation, await outbox.status());
    return;
  }
  const drained = await outbox.drain({ withinSeconds });
  show(invocation, drained.status, drained);
  if (drained.status.halted !== null) invocation.end(EXIT.authentication);
  else if (drained.status.queued > 0) {
    invocation.terminal.note('Not everything could be sent.');
    invocation.end(EXIT.unavailable);
  }
}

async function openOutbox(invocation: Invocation, file: string): Promise<Outbox> {
  if (!invocation.isSet('drain')) return new Client('', '').openOutbox(file);
  const { url, token } = await chooseConnection(invocation);
  if (token === undefined)
    throw new CommandFailure(
      EXIT.authentication,
      `Draining needs the token of the taxpayer, and there is none for ${url}.`,
      ['Give one with --token or TILLSEAL_TOKEN.'],
    );
  // What it reports is in the status as well.
  return new Client(url, token).openOutbox(file, { report: () => {} });
}

function show(invocation: Invocation, status: OutboxStatus, drained?: Drained): void {
  const { queued, oldest, lastFailure, setAside, halted } = status;
  if (printsJson(invocation, JSON.stringify(presented(status, drained)))) return;
  const { terminal } = invocation;
  printFacts(terminal, [
    ['Drained', drained && `sent ${drained.signed}, set ${drained.setAside} aside`],
    ['Queued', queued === 0 ? 'nothing' : `${queued}, the oldest since ${oldest && textOf(oldest)}`],
    ['Last failure', lastFailure ? `${textOf(lastFailure.at)}: ${harmless(lastFailure.message)}` : undefined],
    ['Failing since', lastFailure ? textOf(lastFailure.since) : undefined],
    ['Set aside', setAside.length === 0 ? 'nothing' : String(setAside.length)],
    [
      'Halted',
      halted ? `since ${textOf(halted.since)}: ${reasonOf(halted)}; mend the token, then --resume` : undefined,
    ],
  ]);
  if (setAside.length === 0) return;
  const columns = columnsOf<(typeof setAside)[number]>([
    { 'SET ASIDE': ({ reference }) => harmless(reference), WHY: reasonOf },
  ]);
  tablePrinter(terminal, columns)(setAside);
  terminal.note('Correct what is wrong and --retry a sale, or --discard it and sell it again.');
}

function reasonOf({ problem }: { readonly problem: ProblemError }): string {
  return harmless(problem.message.replaceAll('\n', '; '));
}

/** As the tills of all languages print it, with what Tillseal answered. */
function presented({ queued, oldest, lastFailure, setAside, halted }: OutboxStatus, drained?: Drained): object {
  const status = {
    Queued: queued,
    Oldest: oldest && textOf(oldest),
    LastFailure: lastFailure && {
      At: textOf(lastFailure.at),
      Since: textOf(lastFailure.since),
      Message: lastFailure.message,
    },
    SetAside: setAside.map(({ reference, problem }) => ({ Reference: reference, ...answered(problem) })),
    Halted: halted && { Since: textOf(halted.since), ...answered(halted.problem) },
  };
  return drained ? { Signed: drained.signed, SetAside: drained.setAside, Status: status } : status;
}

const answered = ({ status, text }: ProblemError) => ({ Status: status, Answer: text });

/** In whole seconds. */
function textOf(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
