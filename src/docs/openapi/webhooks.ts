import { listEvents } from '../../contract/platform/event.ts';
import { exampleOf } from './example.ts';

const header = (name: string, description: string, example: string) => ({
  in: 'header',
  name,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const { schema } = listEvents.answer;
const examples = { receipt: { summary: 'A receipt was signed', value: exampleOf(schema) } };

/** What endpoints are sent: the answer of `GET /api/events`, signed. */
export const WEBHOOKS = {
  events: {
    post: {
      operationId: 'eventsPushed',
      summary: 'Events for an endpoint',
      description:
        'Sent to the address of an endpoint (`POST /api/endpoints`), in order and at least once: one request at a time, each with up to ' +
        '`BatchSize` events. Check the signature over the body as it came, answer within 15 seconds, work afterwards. `webhook-id` is the same ' +
        'on every attempt for the same events; the numbers of events tell repeated ones in any case. A test has one event of the type ' +
        '`endpoint.test` with the number 0. Only endpoints of the installation are sent an event with the number null: that commits wait for a ' +
        'standby, which is in no feed while it lasts.',
      tags: ['Events'],
      security: [],
      parameters: [
        header('webhook-id', 'Of the message: the same on every attempt.', 'msg_3q2u7wAAq83vASNFZ4mrze'),
        header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1794736800'),
        header(
          'webhook-signature',
          '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two of them, with a space between, while a secret is being replaced.',
          'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        ),
      ],
      requestBody: { required: true, content: { 'application/json': { schema, examples } } },
      responses: {
        '2XX': { description: 'Taken: the next events follow.' },
        '400': { description: 'Refused, like 409, 413, 415 and 422: three times, and the event is set aside.' },
        '410': { description: 'No more of them: the endpoint is paused.' },
        default: {
          description:
            'Sent again, up to ten times in three days; not before `Retry-After`, up to an hour. Nothing is skipped.',
        },
      },
    },
  },
};
