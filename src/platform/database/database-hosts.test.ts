import { expect, test } from 'vitest';
import { isConnectionFailure } from './connection-failure.ts';
import { DatabaseHosts, singleHosts } from './database-hosts.ts';

test('a host that is known to hang is not asked, and whoever needed it is told to come again', async () => {
  const hosts = new DatabaseHosts('postgresql://nobody@127.0.0.1:1/none');
  const [answer] = await hosts.ask(async () => 'asked', hosts.current);
  expect(answer?.status === 'rejected' && isConnectionFailure(answer.reason)).toBe(true);
});

test('an address with one host stays as it is', () => {
  for (const url of [
    'postgresql://tillseal:a,b@db.example.com:5432/tillseal',
    'postgres://localhost/tillseal?host=/var/run,x',
    'not an address',
  ]) {
    expect(singleHosts(url)).toEqual([url]);
  }
});

test('an address with several hosts is the same address once for each', () => {
  expect(singleHosts('postgresql://tillseal:p%40ss@one:5432,two:5433,[::1]:5434/tillseal?sslmode=require')).toEqual([
    'postgresql://tillseal:p%40ss@one:5432/tillseal?sslmode=require',
    'postgresql://tillseal:p%40ss@two:5433/tillseal?sslmode=require',
    'postgresql://tillseal:p%40ss@[::1]:5434/tillseal?sslmode=require',
  ]);
});

test('target_session_attrs may be there, as libpq wants it, and is taken out', () => {
  const hosts = 'postgresql://one,two/tillseal';
  expect(singleHosts(`${hosts}?target_session_attrs=read-write`)).toEqual([
    'postgresql://one/tillseal',
    'postgresql://two/tillseal',
  ]);
  expect(singleHosts(`${hosts}?target_session_attrs=primary&sslmode=require`)[1]).toBe(
    'postgresql://two/tillseal?sslmode=require',
  );
  expect(singleHosts(`${hosts}?sslmode=require&target_session_attrs=any`)[0]).toBe(
    'postgresql://one/tillseal?sslmode=require',
  );
});
