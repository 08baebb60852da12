/** Takes traces and looks at none of them: a real collector runs on another machine. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().on('end', () => response.end());
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '');
});
