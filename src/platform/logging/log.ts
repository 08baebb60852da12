/** The part of a pino logger that the platform needs: fields first, then the sentence. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
