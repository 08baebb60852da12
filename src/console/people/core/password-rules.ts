import type { Violation } from '../../../kernel/refusal.ts';

const SHORTEST = 12;
const LONGEST = 200;

/** Length is what makes a password hard to guess; rules about kinds of characters only make it hard to remember. */
export function checkPassword(field: string, password: string, email: string): Violation[] {
  const refuse = (Message: string): Violation[] => [{ Field: field, Code: 'Malformed', Message }];
  if (password.length < SHORTEST) return refuse(`at least ${SHORTEST} characters: several words are easy to remember`);
  if (password.length > LONGEST) return refuse(`at most ${LONGEST} characters`);
  if (new Set(password).size < 5) return refuse('must not repeat the same few characters');
  const name = email.split('@', 1)[0] ?? '';
  if (name.length >= 4 && password.toLowerCase().includes(name))
    return refuse('must not contain the name in your email');
  return [];
}

const EMAIL = /^[^\s@"<>]{1,64}@[^\s@"<>]{1,180}\.[^\s@"<>.]{2,60}$/;

/** The form in which emails are compared: people do not remember how they typed theirs. */
export function canonicalEmail(text: string): string {
  return text.trim().toLowerCase();
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}
