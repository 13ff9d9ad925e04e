import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import {
  Alert,
  Badge,
  type CSSVariablesResolver,
  createTheme,
  MantineProvider,
  NavLink,
  Notification,
  TableScrollContainer,
} from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api.ts';
import { App } from './app.tsx';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// Libraries of the component library read the CSP nonce here.
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  defaultRadius: 'md',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' }, body: { minWidth: 0 } } }),
    NavLink: NavLink.extend({ styles: { label: { color: 'var(--mantine-color-text)' } } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // Long tables scroll by keyboard too.
    TableScrollContainer: TableScrollContainer.extend({
      defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 } } },
    }),
    Badge: Badge.extend({
      defaultProps: { variant: 'outline' },
      styles: { label: { color: 'var(--mantine-color-text)' } },
    }),
  },
});
/** Dimmed text with sufficient contrast (WCAG 2.2, 1.4.3). */
const readable: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-cyan-filled-hover': '#095c6b',
    '--mantine-primary-color-filled-hover': '#095c6b',
  },
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
  },
});
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={readable}
      getStyleNonce={() => nonce}
    >
      <Notifications position="top-right" />
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
