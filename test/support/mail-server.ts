import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Message {
  readonly to: readonly string[];
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A real mail server on loopback, which keeps what it takes. */
export class MailServer {
  readonly messages: Message[] = [];
  /** What the server says instead of taking a message, such as `450 4.2.0 busy`. */
  refusal: string | undefined;
  readonly #server: SMTPServer;

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      logger: false,
      disabledCommands: ['STARTTLS'],
      onData: (stream, session, done) => {
        let raw = '';
        stream.setEncoding('utf8').on('data', (piece: string) => {
          raw += piece;
        });
        stream.on('end', () => {
          const { refusal } = this;
          if (refusal !== undefined) {
            return done(Object.assign(new Error(refusal.slice(4)), { responseCode: Number(refusal.slice(0, 3)) }));
          }
          this.messages.push({ to: session.envelope.rcptTo.map(({ address }) => address), ...read(raw) });
          return done();
        });
      },
      ...options,
    });
    // A client that hangs up in the middle is no error of the test.
    this.#server.on('error', () => {});
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

function read(raw: string): Omit<Message, 'to'> {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const coded = raw.slice(end + 4);
  const body =
    headers['content-transfer-encoding'] === 'quoted-printable'
      ? Buffer.from(
          coded
            .replaceAll(/=\r\n/g, '')
            .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString()
      : coded;
  return { headers, body: body.replaceAll('\r\n', '\n') };
}
