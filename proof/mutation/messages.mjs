/** Stryker's part of is-message.mjs. */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { isMessage } from './is-message.mjs';

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'messages', {
    shouldIgnore: ({ node }) => (isMessage(node) ? 'the text of a message' : undefined),
  }),
];
