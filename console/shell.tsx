import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useMay, useSession } from './session/session.tsx';
import { icons } from './ui/icons.tsx';
import { KeySheet } from './ui/key-sheet.tsx';
import { Logo } from './ui/logo.tsx';

/** The icon is for the bar of a telephone. Where space is short, a page without one is behind More. */
export type Menu = { to: NonNullable<LinkProps['to']>; name: string; icon?: ReactNode }[];

export function Shell({ menu }: { menu: Menu }) {
  const { apiKey, signOut } = useSession();
  const mayWrite = useMay('write');
  const [dark, switchAppearance] = useAppearance();
  const [keysShown, showKeys] = useState(false);
  const more = useRef<HTMLDialogElement>(null);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/" className="brand" aria-label="Partner Signals, home">
          <Logo />
          <span className="brand-name">Partner Signals</span>
        </Link>
        <nav aria-label="Main">
          {menu.map(({ to, name, icon }) => (
            <Link
              key={to}
              to={to}
              className={icon ? 'nav-link' : 'nav-link in-more'}
              activeOptions={{ includeSearch: false, exact: to === '/' }}
            >
              {icon}
              {name}
            </Link>
          ))}
          <button
            type="button"
            className="nav-link more-button"
            aria-haspopup="dialog"
            onClick={() => more.current?.showModal()}
          >
            {icons.more}
            More
          </button>
        </nav>
        <p className="soft small whose">
          <bdi title={apiKey.organization.name}>{apiKey.organization.name}</bdi>
          {!mayWrite && <span className="note-tag">Read-only</span>}
        </p>
        <div className="tools">
          <Button
            variant="subtle"
            color="gray"
            className="quiet keys-button"
            aria-label="Keyboard shortcuts"
            onClick={() => showKeys(true)}
          >
            <kbd>?</kbd>
          </Button>
          <ActionIcon
            variant="subtle"
            size="lg"
            className="quiet"
            aria-label="Dark mode"
            aria-pressed={dark}
            onClick={switchAppearance}
          >
            {icons.appearance}
          </ActionIcon>
          <Button variant="subtle" color="gray" className="quiet" onClick={signOut}>
            Sign out
          </Button>
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: any press in it or next to it closes it, and so does Escape */}
        <dialog
          ref={more}
          className="card more-menu"
          aria-label="More"
          onClick={({ currentTarget }) => currentTarget.close()}
        >
          <p className="soft small">
            <bdi>{apiKey.organization.name}</bdi>
          </p>
          {menu
            .filter(({ icon }) => !icon)
            .map(({ to, name }) => (
              <Link key={to} to={to} className="more-item" activeOptions={{ includeSearch: false }}>
                {name}
              </Link>
            ))}
          <hr />
          <button type="button" className="more-item keys-button" onClick={() => showKeys(true)}>
            Keyboard shortcuts <kbd>?</kbd>
          </button>
          <button type="button" className="more-item" aria-pressed={dark} onClick={switchAppearance}>
            Dark mode {icons.appearance}
          </button>
          <button type="button" className="more-item" onClick={signOut}>
            Sign out
          </button>
        </dialog>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <KeySheet shown={keysShown} onShow={showKeys} />
    </>
  );
}

/** Follows the system setting until you switch it. */
function useAppearance(): [dark: boolean, change: () => void] {
  // Otherwise Mantine suspends transitions with an inline style, which the content security policy blocks.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme('light') === 'dark';
  return [dark, () => setColorScheme(dark ? 'light' : 'dark')];
}
