import type { Said, Till } from '../../scenarios/play.ts';
import { Client, type FoundSale, type LastFailure, type Outbox, type OutboxStatus, type Sold } from '../src/index.ts';
import type { Receipt } from '../src/wire/api.ts';

interface Command {
  readonly Do: string;
  readonly Outbox: string;
  readonly Seconds: number;
  readonly Receipt: Receipt;
  readonly Reference: string | null;
}

/** What `till script` is in the other languages, in this process, so that mutants of the outbox meet the scenarios. */
export function scriptedTill(url: string): Till {
  const client = new Client(url, 'tsk_test');
  const reports: string[] = [];
  let outbox: Outbox;
  const run = async (command: Command): Promise<unknown> => {
    const { Seconds, Receipt, Reference } = command;
    const name = Reference ?? '';
    switch (command.Do) {
      case 'open':
        outbox = await client.openOutbox(command.Outbox, {
          report: ({ kind, reference }) => reports.push(`${kind} ${reference}`),
        });
        return null;
      case 'sell':
        return soldAs(await outbox.sell(Receipt, { deadlineSeconds: Seconds }));
      case 'drain': {
        const { signed, setAside, status } = await outbox.drain({ withinSeconds: Seconds });
        return { Signed: signed, SetAside: setAside, Status: statusAs(status) };
      }
      case 'status':
        return statusAs(await outbox.status());
      case 'find':
        return foundAs(await outbox.find(name));
      case 'retry':
        return (await outbox.retry(Reference ?? undefined)) ?? null;
      case 'discard':
        return (await outbox.discard(name)) ?? null;
      default:
        return (await outbox.resume()) ?? null;
    }
  };
  return {
    reports,
    do: (command): Promise<Said> =>
      run(command as Command).then(
        (Result) => ({ Result }),
        (error: unknown) => ({ Error: String(error) }),
      ),
  };
}

const messageOf = (failure: LastFailure | null) => failure?.message ?? null;

function soldAs(sold: Sold): object {
  const { reference: Reference, outcome: Outcome } = sold;
  if (sold.outcome === 'Queued') return { Reference, Outcome, LastFailure: messageOf(sold.lastFailure) };
  if (sold.outcome === 'SetAside')
    return { Reference, Outcome, Status: sold.problem.status, Codes: sold.problem.errors.map(({ code }) => code) };
  const { number, clockAheadSeconds, receipt } = sold;
  return { Reference, Outcome, Number: number, ClockAheadSeconds: clockAheadSeconds, HasReceipt: receipt !== null };
}

function statusAs({ queued, lastFailure, setAside, halted }: OutboxStatus): object {
  return {
    Queued: queued,
    LastFailure: messageOf(lastFailure),
    SetAside: setAside.map(({ reference, problem }) => `${reference} ${problem.status}`),
    Halted: halted?.problem.status ?? null,
  };
}

function foundAs(sale: FoundSale | null): object | null {
  if (sale === null) return null;
  const { reference, state, attempts, number, receipt, problem, lastFailure } = sale;
  return {
    Reference: reference,
    State: state,
    Attempts: attempts,
    Number: number,
    HasReceipt: receipt !== null,
    Status: problem?.status ?? null,
    LastFailure: messageOf(lastFailure),
  };
}
