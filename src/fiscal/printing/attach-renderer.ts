import type { FastifyInstance } from 'fastify';
import { Renderer } from './renderer.ts';

/** The renderer of this server: one for all its routes, ended with it. */
export function attachRenderer(app: FastifyInstance): Renderer {
  if (!app.hasDecorator('renderer')) {
    const renderer = new Renderer((font) => {
      app.log.warn({ font }, 'a script is printed as boxes: install its font, see docs/printing.md');
    });
    app.decorate('renderer', renderer);
    app.addHook('onClose', () => renderer.close());
  }
  return app.getDecorator<Renderer>('renderer');
}
