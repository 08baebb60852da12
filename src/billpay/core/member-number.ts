import { RE2JS } from 're2js';

/** Patterns are few and written by operators; a new one after a change of a biller costs one compilation. */
const compiled = new Map<string, RE2JS>();
const MAX_COMPILED = 5000;

/** Whether the whole member number has the form its biller wants; in time linear to its length, whatever the pattern. */
export function matchesMemberNumber(pattern: string, memberNumber: string): boolean {
  let matcher = compiled.get(pattern);
  if (matcher === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    matcher = RE2JS.compile(pattern);
    compiled.set(pattern, matcher);
  }
  return matcher.matches(memberNumber);
}
