import { Button, Checkbox, createTheme, Radio } from '@mantine/core';

/** Colors and typography are in styles/theme.css. */
export const theme = createTheme({
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    Checkbox: Checkbox.extend({ classNames: { label: 'tick-label' } }),
    Radio: Radio.extend({ classNames: { label: 'tick-label' } }),
    Button: Button.extend({
      // The default is white, which is unreadable on the light accent color of dark mode.
      vars: (_theme, { variant }) => ({
        root: variant === undefined ? { '--button-color': 'var(--mantine-primary-color-contrast)' } : {},
      }),
    }),
  },
});
