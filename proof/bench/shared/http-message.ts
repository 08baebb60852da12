/** The size of a whole message, head and body; undefined until the head has arrived. Every message here has a Content-Length. */
export function messageSize(text: Buffer): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.toString('latin1', 0, headEnd))?.[1] ?? '0';
  return headEnd + 4 + Number(length);
}

/** Cuts what arrives on a connection into whole messages. */
export function messagesOf(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const size = messageSize(pending);
      if (size === undefined || pending.length < size) return;
      const message = pending.subarray(0, size);
      pending = pending.subarray(size);
      onMessage(message);
    }
  };
}
