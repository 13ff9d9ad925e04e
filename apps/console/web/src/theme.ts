import {
  Alert,
  Badge,
  Button,
  Card,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  NavLink,
  Notification,
  Table,
  Tabs,
} from '@mantine/core';

/** Neutral shades of the dark scheme, from text to the deepest background. */
const dark: MantineColorsTuple = [
  '#e3e8ee',
  '#b1bac6',
  '#8f9aa8',
  '#5d6875',
  '#333c46',
  '#28303a',
  '#1a2028',
  '#11161c',
  '#0c1015',
  '#07090c',
];

const systemFonts = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

/** Look of the console: a calm type scale, one accent colour, flat cards. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  colors: { dark },
  defaultRadius: 'md',
  autoContrast: true,
  respectReducedMotion: true,
  fontFamily: `"Geist Variable", ${systemFonts}`,
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.78125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.375rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.5rem', lineHeight: '1.25' },
      h3: { fontSize: '1.125rem', lineHeight: '1.35' },
      h4: { fontSize: '1rem', lineHeight: '1.4' },
      h5: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    Alert: Alert.extend({
      vars: (_, { color = 'cyan' }) => ({ root: { '--alert-color': `var(--mantine-color-${color}-6)` } }),
      classNames: { root: 'calm-alert' },
      styles: { title: { color: 'var(--mantine-color-text)' }, body: { minWidth: 0 } },
    }),
    Badge: Badge.extend({
      defaultProps: { variant: 'light', tt: 'none', fw: 500 },
      vars: (_, { color = 'cyan' }) => ({ root: { '--badge-color': `var(--mantine-color-${color}-6)` } }),
      classNames: { root: 'calm-badge' },
      styles: { label: { color: 'var(--mantine-color-text)' } },
    }),
    Button: Button.extend({ defaultProps: { fw: 500 } }),
    Card: Card.extend({ classNames: { root: 'flat-card' } }),
    // The placeholder is a focusable child, which the role menu does not allow. The first item has the focus instead.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)' } } }),
    NavLink: NavLink.extend({
      classNames: { root: 'page-link' },
      styles: { label: { color: 'var(--mantine-color-text)' } },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Table: Table.extend({ classNames: { th: 'column-head' } }),
    Tabs: Tabs.extend({ classNames: { list: 'tab-row' } }),
  },
});

/** Colours with sufficient contrast (WCAG 2.2, 1.4.3). */
export const readable: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-cyan-filled-hover': '#095c6b',
    '--mantine-primary-color-filled-hover': '#095c6b',
  },
  light: {
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#68727d',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-default-border': '#dfe3e8',
    '--mantine-color-text': '#15191e',
    '--page-background': '#f7f8fa',
    '--soft-background': '#eef1f4',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-default-border': 'var(--mantine-color-dark-4)',
    '--page-background': 'var(--mantine-color-dark-7)',
    '--soft-background': 'var(--mantine-color-dark-5)',
  },
});
