import type { AlertEvent } from '../../contract/platform/event.ts';
import { adviceOn, factsOf } from '../../contract/shared/kinds.ts';
import { formatZoned } from '../../kernel/zone.ts';
import type { FeedEvent } from './batch.ts';
import type { Endpoint } from './endpoint.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

export interface MailPlace {
  readonly timeZone: string;
  readonly publicUrl: string;
  /** For the installation's own people, who can do something about it in the console. */
  readonly isForOperators: boolean;
}

const MAX_SUBJECT = 150;
const MOST_SHOWN = 20;
/** Somebody who reads mail would rather have one message than ten, and a server that is sent one every few seconds takes none any more. */
const GATHER_MS = 10_000;
const APART_MS = 5 * 60_000;
const URGENT_APART_MS = 60_000;

type Sent = Pick<FeedEvent, 'type' | 'data'>;

/** The most urgent first. What is over by now is only told to be so. */
function newsIn(events: readonly Sent[]): AlertEvent[] {
  const all = events.map((event) => ({ ...event, data: JSON.parse(event.data) }) as unknown as AlertEvent);
  const over = new Set(all.filter(({ type }) => type === 'alert.solved').map(({ data }) => data.AlertId));
  const news = all.filter(({ type, data }) => type === 'alert.solved' || !over.has(data.AlertId));
  return news.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ type, data }: AlertEvent): number {
  if (type === 'alert.solved') return 2;
  return factsOf(data.Kind)?.isUrgent ? 0 : 1;
}

/** How long what waits is still to do so; for some seconds at once, because something urgent may come. */
export function mailWaitMs({ lastTakenAt }: Endpoint, events: readonly FeedEvent[], now: Date): number {
  const apartMs = newsIn(events).some((one) => rank(one) === 0) ? URGENT_APART_MS : APART_MS;
  const left = (from: Date | null | undefined, ms: number) => {
    const leftMs = from ? from.getTime() + ms - now.getTime() : 0;
    // Twice as far ahead and more is a wrong clock: nothing waits for that.
    return leftMs < 2 * ms ? leftMs : 0;
  };
  return Math.min(Math.max(0, left(events[0]?.at, GATHER_MS), left(lastTakenAt, apartMs)), GATHER_MS);
}

/** One message about all of them, in plain text. Names and messages come from outside: none of them makes a line or a header of its own. */
export function mailText(events: readonly Sent[], place: MailPlace): MailText {
  if (events[0]?.type === 'endpoint.test') return testText(place);
  if (events[0]?.type === 'endpoint.confirmation') return confirmationText(events[0], place);
  const news = newsIn(events);
  const [subject = ''] = news.slice(0, 1).map((matter) => headline(matter).slice(0, MAX_SUBJECT));
  const counts = [...Map.groupBy(news, kindOf)].map(([kind, { length }]) => `${kind}: ${length}`);
  const rest = news.length - MOST_SHOWN;
  return {
    subject: `Tillseal: ${subject}${news.length > 1 ? ` (and ${news.length - 1} more)` : ''}`,
    text: [
      ...(news.length > 1 ? [counts.join('\n')] : []),
      ...news.slice(0, MOST_SHOWN).map((one) => paragraph(one, place)),
      ...(rest > 0 ? [`And ${rest} more.`] : []),
      footer(place),
    ].join('\n\n'),
  };
}

/** `Solved: Device stopped`. */
function kindOf({ type, data }: AlertEvent): string {
  const words = data.Kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return oneLine(`${type === 'alert.solved' ? 'Solved: ' : ''}${words}`);
}

/** `Solved: Device stopped, device 1001, Test shop`. */
function headline(event: AlertEvent): string {
  const { AuthorityDeviceId, TenantName } = event.data;
  const device = AuthorityDeviceId === null ? [] : [`device ${AuthorityDeviceId}`];
  return oneLine([kindOf(event), ...device, ...(TenantName === null ? [] : [TenantName])].join(', '));
}

function paragraph(event: AlertEvent, { timeZone, isForOperators }: MailPlace): string {
  const { type, data } = event;
  const at = (moment: string) => formatZoned(timeZone, Math.floor(Date.parse(moment) / 1000)).replace('T', ' ');
  const advice = adviceOn(data.Kind);
  const lines = [headline(event), oneLine(data.Message), `Since: ${at(data.RaisedAt)}`];
  if (type === 'alert.solved') lines.push(`Over: ${at(data.SolvedAt)}`);
  else if (isForOperators && advice) lines.push(`What to do: ${advice}`);
  return lines.join('\n');
}

function footer({ publicUrl, isForOperators }: MailPlace): string {
  const where = isForOperators ? `See ${publicUrl}/console/alerts. ` : '';
  return `-- \n${where}Sent by Tillseal at ${publicUrl}, because this address is on its list. Answers are not read; ask the operator, or whoever in your business looks after it in the console, to change or end this.`;
}

function testText(place: MailPlace): MailText {
  return { subject: 'Tillseal: test message', text: `Messages about alerts arrive here.\n\n${footer(place)}` };
}

/** All that is sent to an address before its owner has said yes. */
function confirmationText({ data }: Sent, { publicUrl }: MailPlace): MailText {
  const { Token, Description } = JSON.parse(data) as { readonly Token: string; readonly Description: string };
  return {
    subject: 'Tillseal: may messages be sent to you?',
    text: [
      `Somebody who uses Tillseal at ${publicUrl} wants messages sent to this address${Description && ` (${oneLine(Description)})`}.`,
      `If that is right, open this within seven days, and press the button there:\n${publicUrl}/console/confirm#${Token}`,
      'If you do not know what this is about, do nothing: no message follows.',
    ].join('\n\n'),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
}
