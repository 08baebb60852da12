/**
 * The service cannot start, and the person who started it can change that. The message is the one line they see: what is
 * wrong and what to do about it. main.ts prints it and exits with code 1; nothing else may stay running.
 */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}
