/** Text that no encoder would produce, sent unchanged as a part of a path; nothing has such a name. */
// biome-ignore format: a list to be read at a glance
export const HOSTILE_SEGMENTS = [
  '%', '%zz', '%E0%A4%A', '%C0%80', '%00', 'a%00b', '%ED%A0%80', '%2e%2e%2fetc%2fpasswd', '..%5c..', ';a=b', '*', ':x', '(((((',
  '-1', '0', '00', '1e400', '2147483648', '9223372036854775808', '9'.repeat(300), 'x'.repeat(513), 'x'.repeat(10_000), '__proto__',
  'constructor', "1'%20or%20'1'='1", '%F0%9F%92%A5', '%0d%0aX:1', '+', '%20', '~', 'null',
];

/** None of them waits long: a `wait` beyond the limit is refused. */
// biome-ignore format: a list to be read at a glance
export const HOSTILE_QUERIES = [
  '%zz=1', 'Limit=%zz', 'Limit=%00', '%00=1', 'Reference=a%00b', 'Reference=%ED%A0%80', 'Limit=1e400', 'Limit=-1', 'Limit=1&Limit=2',
  'limit=1&limit=2', 'after=1&after=2', 'Cursor=1&Cursor=2', 'TaxpayerId=a&TaxpayerId=b', 'Cursor[a]=1', '__proto__=1',
  '__proto__[isAdmin]=1', 'constructor=1', 'constructor.prototype.x=1', 'after=999999999999999999999', 'after=-1', 'wait=1e9',
  'Cursor=MDAwMC0wMC0wMFQwMDowMDowMC4wMDAwMDBafDF8MQ', 'SealedFrom=0000-00-00T00:00:00Z', 'SealedFrom=9999-12-31T23:59:60Z',
  `Cursor=${'x'.repeat(8000)}`, 'a=1&'.repeat(2000), '&'.repeat(5000), `a${'[b]'.repeat(2000)}=1`, '=', '?',
];
