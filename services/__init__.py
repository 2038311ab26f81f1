"""The processes of Sahrat: one folder each, put together by `services.house`."""
