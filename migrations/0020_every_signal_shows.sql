alter table signals alter column shown set not null;
