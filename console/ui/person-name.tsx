type Props = { person: { name: string; email: string | null } | null; none: string };

export function PersonName({ person, none }: Props) {
  if (!person) return <span className="soft">{none}</span>;
  return (
    <>
      <bdi>{person.name}</bdi>
      {person.email && (
        <>
          {' '}
          <bdi className="soft">({person.email})</bdi>
        </>
      )}
    </>
  );
}
