/** Why a connection to the authority came to nothing, in words an operator can act on. */
export interface ConnectionFailure {
  readonly reason: string;
  /** The TLS handshake was refused, ours or theirs: whatever had been written was never read as a request. */
  readonly isHandshake: boolean;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the authority refuses connections',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: "the authority's host name is unknown",
  EAI_AGAIN: "the authority's host name could not be looked up",
  EHOSTUNREACH: "the authority's host cannot be reached",
  ENETUNREACH: "the authority's network cannot be reached",
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half way',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut',
  UND_ERR_CLOSED: 'the gateway is closed',
  UND_ERR_DESTROYED: 'the gateway is closed',
};

/** What OpenSSL says of a server's certificate that does not lead to the pinned authorities. */
const UNTRUSTED_SERVER =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Alerts by which a server ends a handshake because of our certificate; under TLS 1.3 they come after our first bytes. */
const REFUSED_CLIENT = /^ERR_SSL_.*ALERT_(?:.*CERTIFICATE.*|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR|HANDSHAKE_FAILURE)$/;

export function connectionFailure(error: Error): ConnectionFailure {
  const code = codeOf(error);
  const known = NETWORK[code];
  if (known !== undefined) return { reason: withCode(known, code), isHandshake: false };
  if (UNTRUSTED_SERVER.test(code)) {
    return { reason: withCode("the authority's server certificate is not trusted", code), isHandshake: true };
  }
  if (REFUSED_CLIENT.test(code)) {
    return { reason: withCode("the authority's server refused our certificate", code), isHandshake: true };
  }
  return { reason: withCode('the connection failed', code || error.name), isHandshake: false };
}

/** undici wraps what a socket said; the code inside tells more than the wrapping. */
function codeOf(error: Error): string {
  const inner = error.cause instanceof Error ? ownCode(error.cause) : '';
  return inner === '' ? ownCode(error) : inner;
}

function ownCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function withCode(reason: string, code: string): string {
  return `${reason} (${code})`;
}
