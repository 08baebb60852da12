import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/client.ts';
import { router } from './router.tsx';
import { LiveProvider } from './shell/live.tsx';
import { SessionGate } from './shell/session-gate.tsx';
import { readableColours, theme } from './theme.ts';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // What was refused is refused again; only a lost connection is worth another try.
      retry: (count, error) => count < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 502),
    },
  },
});

// A part that is loaded later is gone if the console was rebuilt in between: a reload gets the new one.
window.addEventListener('vite:preloadError', () => window.location.reload());

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the console');

createRoot(place).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={readableColours}
      getStyleNonce={() => nonce}
    >
      <Notifications position="top-right" />
      <QueryClientProvider client={client}>
        <SessionGate>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
